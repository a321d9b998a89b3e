/** The provider of the one model `shell`, which calls no service. */
import { unknownModel } from "../provider/model-facts.ts";
import type { Provider } from "../provider/provider.ts";
import { openShell, SHELL_NAME } from "./shell.ts";

export const SHELL: Provider = {
	names: [SHELL_NAME],
	variables: { keys: [], addresses: [], others: [] },
	owns: (name) => name === SHELL_NAME,
	facts: (name) => ({
		...unknownModel(name),
		price: { is: "free" },
		isRemote: false,
		readsMessages: false,
		answersBytes: true,
	}),
	resolve: (name) => name,
	check: () => {},
	open: async () => openShell(),
};
