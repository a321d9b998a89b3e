import { expect, test } from "vitest";
import { parseFileLimit, softLimitOfStarter } from "../../../src/processes/proc-facts.ts";

const limits = (soft: string, hard: string) =>
	`Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     \n`;

test("the limits of a process are read as the kernel writes them", () => {
	expect(parseFileLimit(limits("1024", "524288"))).toEqual({ soft: 1024, hard: 524288 });
	expect(parseFileLimit(limits("256", "unlimited"))).toEqual({ soft: 256, hard: Number.POSITIVE_INFINITY });
	expect(parseFileLimit("something else")).toBeUndefined();
});

test("commands get the soft limit of the process that started this one, when Node has raised it", () => {
	const raised = { soft: 524288, hard: 524288 };
	expect(softLimitOfStarter({ soft: 1024, hard: 524288 }, raised)).toBe(1024);
	expect(softLimitOfStarter(raised, raised)).toBeUndefined();
	expect(softLimitOfStarter(raised, { soft: 60, hard: 60 })).toBeUndefined();
	expect(softLimitOfStarter(undefined, raised)).toBeUndefined();
});
