import { expect, test } from "vitest";
import { anyResponse } from "../../../../src/models/service/bounded-fetch.ts";

// Seen to fail: `new Response` throws, in a proxy's answer where nobody catches it.
test.each([200, 204, 304, 599, 600, 999])("an answer with the status %i is one", async (status) => {
	const response = anyResponse("words", { status, headers: new Headers({ a: "b" }) });
	const words = [204, 304].includes(status) ? "" : "words";
	expect([response.status, response.ok, response.headers.get("a")]).toEqual([status, status < 300, "b"]);
	expect(await response.text()).toBe(words);
});
