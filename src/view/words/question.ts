/** Questions to a person and answers, as people read them. What agents wrote is made safe for a terminal. */
import type { Answer, Asked, Question } from "../../core/run/questions.ts";
import { shownCommand } from "../../text/safe/invisible.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";

type Outside = Extract<Asked, { is: "outside" }>;

/** `run git push? (rule Bash(git push:*) of your configuration)`, `which port? (80, 8080)`; outside: where, in capitals. */
export function describeAsked(what: Asked): string {
	switch (what.is) {
		case "words": {
			const choices = what.choices === undefined ? "" : ` (${what.choices.map(oneLine).join(", ")})`;
			return `${oneLine(what.text)}${choices}`;
		}
		case "command":
			return `run ${shownCommand(what.command)}? (${oneLine(what.because)})`;
		case "outside":
			return `run ${whereOf(what)}: ${shownCommand(what.command)}? (in ${oneLine(what.directory)})`;
	}
}

/** `yes`, `no: use staging`, or what was said. */
export function describeAnswer(answer: Answer): string {
	switch (answer.is) {
		case "allow":
			return "yes";
		case "always":
			return `yes, and always ${oneLine(answer.rule)}`;
		case "project":
			return `yes, and always ${oneLine(answer.rule)} in all runs in ${oneLine(answer.project)}`;
		case "no":
			return `no${answer.words === undefined ? "" : `: ${oneLine(answer.words)}`}`;
		case "stop":
			return `no, and stop${answer.words === undefined ? "" : `: ${oneLine(answer.words)}`}`;
		case "words":
			return oneLine(answer.text);
	}
}

/** What a person types to answer: `agent answer RUN#3 80`. `number`: with the run, where there may be others; `command`: that with which they do. */
export function answerHint(
	{ number, what }: Pick<Question, "what"> & { readonly number: number | string },
	command = "agent answer",
): string {
	if (what.is !== "words") return `${command} ${number} allow, ${lastingHints(what).join("")}no "words", or stop`;
	const [first] = what.choices ?? [];
	return `${command} ${number} ${first === undefined ? '"words"' : oneLine(first)}`;
}

/** `OUTSIDE the sandbox, as you`; `in its sandbox, with /data writable` */
export function whereOf({ write = [], hosts = [] }: Pick<Outside, "write" | "hosts">): string {
	if (write.length + hosts.length === 0) return "OUTSIDE the sandbox, as you";
	const more = [
		...(write.length === 0 ? [] : [`${write.map(oneLine).join(", ")} WRITABLE`]),
		...(hosts.length === 0 ? [] : [`${hosts.map(oneLine).join(", ")} REACHABLE`]),
	];
	return `in its sandbox, with ${more.join(" and ")}`;
}

/** With the rule that each would give: it is seen before it is written. */
function lastingHints(what: Exclude<Asked, { is: "words" }>): string[] {
	if (what.rule === undefined) return [];
	const always = `always (${oneLine(what.rule)}), `;
	const isOfProject = what.is === "command" && what.project !== undefined;
	return isOfProject ? [always, `project (the same for all runs in ${oneLine(what.project)}), `] : [always];
}

/** `question 3`, `questions 3, 4` */
export function questionNumbers(questions: readonly number[]): string {
	return `${questions.length === 1 ? "question" : "questions"} ${questions.join(", ")}`;
}
