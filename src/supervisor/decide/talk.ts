/** What comes of a conversation between a person and the root of its run. Pure. */
import { beginAside } from "./asides.ts";
import { change, compact } from "./changes.ts";
import type { Decision } from "./decision.ts";
import type { Input } from "./input.ts";
import { close, interrupt, listen, withdraw } from "./listening.ts";

type Talk = Extract<
	Input,
	{
		is: "listens" | `${"interrupt" | "withdraw" | "change" | "compact" | "aside" | "close"}_asked`;
	}
>;

export function talk(decision: Decision, input: Talk, now: number): void {
	switch (input.is) {
		case "listens":
			return listen(decision, input, now);
		case "interrupt_asked":
			return interrupt(decision, input.agent, now);
		case "withdraw_asked":
			return withdraw(decision, input.agent, now);
		case "change_asked":
			return change(decision, input, now);
		case "compact_asked":
			return compact(decision, input.agent);
		case "aside_asked":
			return beginAside(decision, input);
		case "close_asked":
			return close(decision);
	}
}
