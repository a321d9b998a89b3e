import { AgentreeError } from "../../core/errors.ts";

/** What `act` gives; an error of the system is thrown as the one that `refusal` makes of its code. */
export function asUserError<T>(act: () => T, refusal: (code: string) => AgentreeError): T {
	try {
		return act();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw code === undefined || error instanceof AgentreeError ? error : refusal(code);
	}
}
