import { expect, test } from "vitest";
import { WorkCredit } from "../../../../src/supervisor/clients/connected-clients.ts";

test("a client may take a second at once, and a fifth of the time from then on", () => {
	const credit = new WorkCredit(0);
	expect(credit.spend(0, 900)).toBe(0);
	expect(credit.spend(900, 1_100)).toBe(500);
	expect(credit.spend(1_600, 1_700)).toBe(500);
	expect(credit.spend(2_200, 2_200)).toBe(0);
});

test("who was silent for long has a second again, and no more", () => {
	const credit = new WorkCredit(0);
	credit.spend(0, 1_000);
	expect([credit.spend(1_000_000, 1_001_000), credit.spend(1_001_000, 1_001_001)]).toEqual([0, 5]);
});
