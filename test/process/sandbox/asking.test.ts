/** From inside a sandbox, which hides the run's files, an agent keeps its plan and asks a person, and can do no more. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { startAsking } from "../questions/asking-run.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

test.skipIf(NO_SANDBOX)(`an agent in a sandbox asks a person, and answers no question${SKIPPED}`, async () => {
	const run = startAsking(
		`agent todo set step; agent ask "in a sandbox?" > said & until [ -s gate ]; do :; done
		agent answer 1 allow > tried 2>&1; echo "exit $?" >> tried; touch over; wait; cat said
		agent 'agent ask "and below?"'`,
		["--ask-wait", "--sandbox", "workspace"],
	);
	await run.asked();
	writeFileSync(join(run.home, "gate"), "x");
	const tried = await vi.waitFor(() => {
		readFileSync(join(run.home, "over"));
		return readFileSync(join(run.home, "tried"), "utf8");
	}, WAIT);
	expect(tried).toMatch(/exit [1-9]\d*\n$/);
	expect(run.events().filter(({ event }) => event === "question_answered")).toEqual([]);
	await run.answer("1", "from outside");
	const [, second] = await run.asked(2);
	expect(second).toMatchObject({ agent: "1.1", what: { text: "and below?" } });
	await run.answer("2", "hello");
	expect(await run.printed()).toBe("1 [ ] step\nplan 0/1, next: step\nfrom outside\nhello\n");
});
