/** The size of what a request has, as JSON. */
export function byteLength(value: unknown): number {
	return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}
