import { expect, test } from "vitest";
import { exportOptions } from "../../../../src/cli/export/export-options.ts";
import { EXPORT_OPTIONS } from "../../../../src/project/config/option-table.ts";

test("each option with a file asks for its format, and without one of them nothing is asked", () => {
	const flags = EXPORT_OPTIONS.filter(({ value }) => value === "FILE").map(({ flag }) => flag);
	const values = Object.fromEntries(flags.map((flag) => [flag, `a.${flag}`]));
	expect(exportOptions({ ...values, force: true })).toEqual(flags.map((flag) => ({ format: flag, path: `a.${flag}` })));
	expect(exportOptions({ json: true, follow: true })).toEqual([]);
});

test.each([
	[{ perfetto: "" }, "--perfetto needs the name of a file; - is stdout"],
	[{ perfetto: "a", json: true }, "--perfetto does not go with --json: it is of a whole run, as it is now"],
	[{ perfetto: "a", follow: true }, "--perfetto does not go with --follow: it is of a whole run, as it is now"],
	[{ force: true }, "--force goes with --html, --perfetto, --atif"],
])("%o is refused", (values, message) => {
	expect(() => exportOptions(values)).toThrow(message);
});
