import { expect, test } from "vitest";
import { exportOptions } from "../../../src/cli/commands/show.ts";
import { EXPORT_OPTIONS } from "../../../src/project/config/option-table.ts";

test("each option with a file asks for its format, and without one of them nothing is asked", () => {
	const flags = EXPORT_OPTIONS.filter(({ value }) => value === "FILE").map(({ flag }) => flag);
	const values = Object.fromEntries(flags.map((flag) => [flag, `a.${flag}`]));
	expect(exportOptions({ ...values, force: true })).toEqual(flags.map((flag) => ({ format: flag, path: `a.${flag}` })));
	expect(exportOptions({ json: true, follow: true })).toEqual([]);
});

test.each([
	[{ perfetto: "" }, "--perfetto needs a file name, or - for stdout"],
	[{ perfetto: "a", json: true }, "--perfetto and --json contradict each other: an export is a whole run as it is now"],
	[
		{ perfetto: "a", follow: true },
		"--perfetto and --follow contradict each other: an export is a whole run as it is now",
	],
	[{ force: true }, "--force needs one of --html, --perfetto, --atif"],
])("%o is refused", (values, message) => {
	expect(() => exportOptions(values)).toThrow(message);
});
