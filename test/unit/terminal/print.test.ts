import { expect, test } from "vitest";
import { printFile } from "../../../src/terminal/print.ts";

test("a file without bytes is printed as nothing, and one that cannot be opened is a reason", async () => {
	expect(await printFile(1, () => undefined)).toEqual({ is: "written" });
	const gone = () => {
		throw Object.assign(new Error("ENOENT: no such file or directory, open 'x'"), { code: "ENOENT" });
	};
	expect(await printFile(1, gone)).toEqual({ is: "failed", reason: "no such file or directory, open 'x' (ENOENT)" });
});
