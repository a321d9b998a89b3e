/**
 * A person interrupts at random moments for a while (`npm run soak`; AGENTREE_SOAK_SECONDS, AGENTREE_SOAK_SEED to play one again). After
 * each the same holds as in `process/conversation/interrupt-sweep`.
 */
import { test } from "vitest";
import { diceOf } from "../../unit/dice.ts";
import { runs, says } from "../api/api-run.ts";
import { interruptAt, MOMENTS, type Moment } from "../conversation/interrupt-sweep.ts";

const SECONDS = Number(process.env.AGENTREE_SOAK_SECONDS ?? 120);
const SEED = Number(process.env.AGENTREE_SOAK_SEED ?? Date.now() % 1_000_000);
const MOST_MS = 2_500; // what the root does then takes about as long

const slowly = (text: string) => ({
	content: [says(text)],
	beforeEvent: () => new Promise<void>((resolve) => setTimeout(resolve, 20)),
});

/** A root that thinks, runs commands and child agents, and answers. */
const AT_WORK: Moment = {
	when: "anything happens",
	replies: {
		begin: {
			...slowly("I look."),
			content: [says("I look."), runs("a", "sleep 0.2; echo one"), runs("b", "seq 20000; echo two")],
		},
		two: { content: [runs("c", "agent child & agent child & wait; echo three")] },
		child: { content: [runs("d", "sleep 0.2; echo four")] },
		three: slowly("x ".repeat(200)),
		four: slowly("done"),
	},
	begin: (person) => person.until(() => person.run.agents["1"] !== undefined),
	isThere: () => true,
};

test(`whenever the person interrupts (seed ${SEED})`, { timeout: (SECONDS + 60) * 1000 }, async () => {
	const dice = diceOf(SEED);
	for (const until = Date.now() + SECONDS * 1000; Date.now() < until; ) {
		const moment = dice.roll(3) === 0 ? dice.pick(MOMENTS) : AT_WORK;
		await interruptAt(moment ?? AT_WORK, dice.roll(moment === AT_WORK ? MOST_MS : 200));
	}
});
