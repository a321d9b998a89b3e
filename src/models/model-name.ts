/** What a name of a model may be. Apart from what loads one, since a child agent checks the name before it joins. */
import { AgentreeError } from "../core/errors.ts";
import { MODEL_TABLE } from "./prices.ts";

export type ModelKind = { is: "shell" } | { is: "script"; file: string } | { is: "anthropic" };

/** Throws AgentreeError("usage") for a name that can be no model. Whether the service knows it, only the service can say. */
export function modelKind(name: string): ModelKind {
	if (name === "shell") return { is: "shell" };
	if (name.startsWith("script:")) {
		const file = name.slice("script:".length);
		if (file === "") throw new AgentreeError("usage", "no file in the model name script:FILE");
		return { is: "script", file };
	}
	if (name.includes("claude")) return { is: "anthropic" };
	const known = [...MODEL_TABLE.map(({ id }) => id), "shell", "script:FILE"].join(", ");
	throw new AgentreeError("usage", `unknown model "${name}"; known: ${known}`);
}
