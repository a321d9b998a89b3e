/**
 * A Response of whatever a service answers. The constructor takes the statuses from 200 to 599 alone, and no body with some of
 * them; servers send 600 or 999 all the same. The reason phrase is left out: nobody reads it, and it may have any bytes in it.
 */
const NO_BODY = [204, 205, 304];
const KNOWN = { least: 200, most: 599 };

export function anyResponse(
	body: ReadableStream | string,
	{ status, headers }: { status: number; headers: Headers },
): Response {
	const isKnown = status >= KNOWN.least && status <= KNOWN.most;
	const response = new Response(NO_BODY.includes(status) ? null : body, {
		status: isKnown ? status : KNOWN.most,
		headers,
	});
	return isKnown ? response : Object.defineProperty(response, "status", { value: status });
}
