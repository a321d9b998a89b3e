/** What is read from files for what the screen shows beside histories, after it was drawn: no frame waits for it. */
import { readAnswers } from "./answer-reader.ts";
import { readParticulars } from "./particulars-reader.ts";
import type { Picture } from "./scene/scene.ts";
import type { Input } from "./update.ts";

export function readForPicture(picture: Picture, runDirectory: string): Input[] {
	const answers = readAnswers(picture, runDirectory);
	const particulars = readParticulars(picture, runDirectory);
	return [
		...(answers === undefined ? [] : [{ is: "answers", answers } as const]),
		...(particulars === undefined ? [] : [{ is: "particulars", particulars } as const]),
	];
}
