/** What is said of a model's name that is not known: the nearest known one, and where the name came from. */
import { nearestName } from "../../text/nearest-name.ts";

/** `; did you mean claude-opus-5-5? (the name is from ANTHROPIC_MODEL)`; empty when there is nothing to say. */
export function hintAboutName(name: string, known: readonly string[], from?: string): string {
	const whole = known.find((other) => other.endsWith(`/${name}`)); // the name of its service was left out
	const nearest = whole ?? nearestName(name, known);
	const meant = nearest === undefined || nearest === name ? "" : `; did you mean ${nearest}?`;
	if (from === undefined) return meant;
	if (meant !== "") return `${meant} (the name is from ${from})`;
	return from === "--model" ? "" : `; the name is from ${from}`; // that was just typed, a variable may be forgotten
}
