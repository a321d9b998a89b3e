/** One file that cannot be read hides no other: why not is said with what is exported. */
import { AgentreeError } from "../../core/errors.ts";

export function orDamage<T>(damage: string[], read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		damage.push(error.message);
		return undefined;
	}
}
