import { homeDirectory, homeOfUser } from "./config/user-directories.ts";

/** Whose projects they are. */
export interface Person {
	/** Home directories, as the environment and the system's table of users have them. */
	readonly homes: readonly string[];
	/** Users whose repositories count: for root also the one who has called sudo, as for git (git-config(1), safe.directory). */
	readonly owners: readonly number[];
}

export function personOf(env: Readonly<Record<string, string | undefined>>): Person {
	const uid = process.getuid?.() ?? 0;
	const caller = uid === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "") ? [Number(env.SUDO_UID)] : [];
	const homes = [homeDirectory(env), homeOfUser()].flatMap((home) => home ?? []);
	return { homes: [...new Set(homes)], owners: [uid, ...caller] };
}
