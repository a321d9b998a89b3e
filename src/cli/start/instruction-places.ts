import { defined } from "../../core/defined.ts";
import { configurationDirectory } from "../../project/config/configuration-path.ts";
import { homeDirectory } from "../../project/config/home-directory.ts";
import { personOf } from "../../project/person.ts";
import type { InstructionPlaces } from "../../wire/supervise-order.ts";

/** Where files may lie that tell agents something, before a project is trusted. */
export function instructionPlaces(env: Readonly<Record<string, string | undefined>>, uid: number): InstructionPlaces {
	const own = defined({ home: homeDirectory(env), own: configurationDirectory(env) });
	return { ...own, ...personOf(env), uid, trusted: [] };
}
