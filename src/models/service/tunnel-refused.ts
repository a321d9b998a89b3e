/** Thrown when a proxy opens no tunnel, with the status that it answered with. */
export class TunnelRefused extends Error {
	override readonly name = "TunnelRefused";
	readonly status: number;

	constructor(status: number) {
		super(status >= 100 ? `the proxy opens no way to it (HTTP ${status})` : "what the proxy answers is no HTTP");
		this.status = status;
	}
}
