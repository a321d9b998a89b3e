/** Questions to a person and answers, as people read them. What agents wrote is made safe for a terminal. */
import type { Answer, Asked, Question } from "../core/questions.ts";
import { oneLine } from "./terminal-safe.ts";

/** `may it run git push? (rule Bash(git push:*) of your configuration)`, `which port? (80, 8080)` */
export function describeAsked(what: Asked): string {
	switch (what.is) {
		case "words": {
			const choices = what.choices === undefined ? "" : ` (${what.choices.map(oneLine).join(", ")})`;
			return `${oneLine(what.text)}${choices}`;
		}
		case "command":
			return `may it run ${oneLine(what.command)}? (${oneLine(what.because)})`;
	}
}

/** `yes`, `no: use staging`, or what was said. */
export function describeAnswer(answer: Answer): string {
	switch (answer.is) {
		case "allow":
			return "yes";
		case "always":
			return `yes, and always ${oneLine(answer.rule)}`;
		case "no":
			return `no${answer.words === undefined ? "" : `: ${oneLine(answer.words)}`}`;
		case "stop":
			return `no, and stop${answer.words === undefined ? "" : `: ${oneLine(answer.words)}`}`;
		case "words":
			return oneLine(answer.text);
	}
}

/** What a person types to answer: `agent answer 3 80`. `command`: that with which they do. */
export function answerHint({ number, what }: Pick<Question, "number" | "what">, command = "agent answer"): string {
	if (what.is === "command")
		return `${command} ${number} allow, ${what.rule === undefined ? "" : `always (${oneLine(what.rule)}), `}no "words", or stop`;
	const [first] = what.choices ?? [];
	return `${command} ${number} ${first === undefined ? '"words"' : oneLine(first)}`;
}
