/** True for the name itself and for a dated one: `claude-haiku-4-5-20251001`, `…@20251001`, `…-2025-10-01`, `…-latest`; each also with `[1m]`. */
export function isDatedName(name: string, id: string): boolean {
	return name.startsWith(id) && /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))?(?:\[1m\])?$/i.test(name.slice(id.length));
}
