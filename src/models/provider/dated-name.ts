/** True for the name itself and for a dated one: `claude-haiku-4-5-20251001`, `…@20251001`, `…-latest`; each also with `[1m]`. */
export function isDatedName(name: string, id: string): boolean {
	return name.startsWith(id) && /^(?:[-@](?:\d{8}|latest))?(?:\[1m\])?$/i.test(name.slice(id.length));
}
