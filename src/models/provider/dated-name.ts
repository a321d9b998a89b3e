/** True for the name itself and for a dated one: `claude-haiku-4-5-20251001`, `…@20251001`, `…-latest`. */
export function isDatedName(name: string, id: string): boolean {
	return name.startsWith(id) && /^(?:[-@](?:\d{8}|latest))?$/.test(name.slice(id.length));
}
