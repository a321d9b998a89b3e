/** The pieces of an answer while it streams, redacted although a secret may come in several of them. */
import { isSamePiece, type ModelDelta } from "../../core/model.ts";
import { seenIn } from "../../text/disguise.ts";
import { openSecretChars, redactKnown } from "../../text/redact.ts";

export interface RedactedPieces {
	take(piece: ModelDelta): void;
	/** To be called after the last piece. */
	end(): void;
}

const MOST_HELD = 10_000;

/** What may be the beginning of a secret is held back until more has come, or another block begins. */
export function redactedPieces(emit: (piece: ModelDelta) => void): RedactedPieces {
	let held: ModelDelta | undefined;
	const end = () => {
		if (held !== undefined) emit({ ...held, text: redactKnown(held.text) });
		held = undefined;
	};
	return {
		end,
		take: (piece) => {
			if (held !== undefined && !isSamePiece(held, piece)) end();
			const text = redactKnown((held?.text ?? "") + piece.text);
			const open = openSecretChars(text);
			const kept = open > MOST_HELD ? seenIn(text.slice(-open)).seen : text.slice(-open); // else what is not shown fills the memory
			held = open === 0 ? undefined : { ...piece, text: kept };
			if (open < text.length) emit({ ...piece, text: text.slice(0, text.length - open) });
		},
	};
}
