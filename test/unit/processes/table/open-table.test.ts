import { expect, test } from "vitest";
import { openProcessTable } from "../../../../src/processes/table/open-table.ts";
import { procTable } from "../../../../src/processes/table/process-table.ts";

test("AGENTREE_PROCESS_TABLE chooses the reader", () => {
	expect(openProcessTable({ AGENTREE_PROCESS_TABLE: "proc" })).toBe(procTable);
	expect(openProcessTable({ AGENTREE_PROCESS_TABLE: "ps" }).isCostly).toBe(true);
	expect(openProcessTable({ AGENTREE_PROCESS_TABLE: "" }).isCostly).toBe(openProcessTable({}).isCostly);
});

test("an unknown reader is wrong usage", () => {
	expect(() => openProcessTable({ AGENTREE_PROCESS_TABLE: "wmi" })).toThrow(
		expect.objectContaining({
			code: "usage",
			message: 'AGENTREE_PROCESS_TABLE is "wmi"; it can be proc or ps',
		}),
	);
});
