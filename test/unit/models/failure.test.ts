import { expect, test } from "vitest";
import { exitCodeOf, oneLine } from "../../../src/models/failure.ts";

test.each([
	[{ status: 401 }, 77],
	[{ status: 403 }, 77],
	[{ type: "authentication_error" }, 77],
	[{ status: 400, type: "invalid_request_error" }, 1],
	[{ status: 402 }, 1],
	[{ status: 404 }, 1],
	[{ status: 413 }, 1],
	[{ type: "invalid_request_error" }, 1],
	[{ status: 408 }, 75],
	[{ status: 429 }, 75],
	[{ status: 500 }, 75],
	[{ status: 529 }, 75],
	[{ type: "overloaded_error" }, 75],
	[{ type: "never_heard_of_error" }, 75],
	[{}, 75],
])("%j has the exit code %i", (error, exitCode) => {
	expect(exitCodeOf(error)).toBe(exitCode);
});

test("whatever a service says becomes one line that is not endless and cuts no character", () => {
	expect(oneLine(" <html>\r\n\t<b>502\u001b[31m</b>\u0000 ")).toBe("<html> <b>502 [31m</b>");
	expect(oneLine("🙂".repeat(600))).toBe(`${"🙂".repeat(500)} …`);
});
