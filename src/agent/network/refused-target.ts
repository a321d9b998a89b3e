/** The proxy's refusal of a host begins its answer: `HTTP/1.1 403 Refused by agentree: example.org:8080 is not …`. */
const REFUSED = /^HTTP\/1\.1 403 Refused by agentree: ([\w.:[\]-]{1,270}) (?:is not among|leads to) /;
const MAX_BYTES = 400;

/** The host, with a port where that is not one of the web; undefined for any other piece of an answer. */
export function refusedTarget(piece: Uint8Array): string | undefined {
	return REFUSED.exec(Buffer.from(piece.subarray(0, MAX_BYTES)).toString("latin1"))?.[1];
}
