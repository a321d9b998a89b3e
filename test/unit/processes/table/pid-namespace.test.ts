import { expect, test } from "vitest";
import { isNamespaceOver, ownPidNamespace } from "../../../../src/processes/table/pid-namespace.ts";

test("a namespace is over when it is known that no process is in it", () => {
	expect(isNamespaceOver(ownPidNamespace())).toBe(false);
	expect(isNamespaceOver(null)).toBe(false);
	const seesAll = ownPidNamespace() === "pid:[4026531836]";
	expect(isNamespaceOver("pid:[1]")).toBe(seesAll);
});
