/** Addresses of calls, and as they may be shown. Pure. */

/** The path goes between the address of the service and a query that it has (`?api-version=…`). */
export function urlOf(baseUrl: string, path: string): string {
	const url = new URL(baseUrl);
	url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
	return url.href;
}

/** Without a query, which may have a key. */
export function shownAddress(baseUrl: string): string {
	return baseUrl.replace(/[?#].*$/s, "");
}
