import { expect, expectTypeOf, test } from "vitest";
import { defined } from "../../../src/core/defined.ts";

test("a key whose value is undefined is absent, all others stay", () => {
	const size: number | undefined = undefined;
	expect(Object.entries(defined({ size, name: "", price: null, isNew: false }))).toEqual([
		["name", ""],
		["price", null],
		["isNew", false],
	]);
});

test("only what may be undefined may be absent", () => {
	const made = (size: number | undefined, name: string) => defined({ size, name });
	expectTypeOf(made).returns.toEqualTypeOf<{ name: string } & { size?: number }>();
});
