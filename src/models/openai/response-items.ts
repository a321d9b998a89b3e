/**
 * The items of an answer of /responses while they grow. By the protocol events name their item by `output_index`. Services leave it
 * out, give each item the same one, or send the items whole, at their end or at that of the answer. So which item an event is of
 * is told from all that it has.
 */
import { partialCommandReader } from "../service/partial-command.ts";

export type WireItem = Readonly<Record<string, unknown>>;

/** `text`: of a message or of thinking; `json`: of a call's arguments. */
export interface GrowingItem {
	readonly index: number;
	/** Its place among those that have come, by which its pieces are shown. */
	readonly block: number;
	item: WireItem;
	text: string;
	refusal: string;
	json: string;
	isDone: boolean;
	readonly readCommand: (piece: string) => string;
}

export class ResponseItems {
	private readonly items: GrowingItem[] = [];

	/** In the order in which the answer has them. */
	get all(): readonly GrowingItem[] {
		return [...this.items].sort((a, b) => a.index - b.index);
	}

	/** The item that the event begins, which pieces of it may have begun. */
	begun(event: WireItem): GrowingItem {
		const item: WireItem = Object(event.item);
		const index = indexIn(event);
		const open = this.items.find((other) => !other.isDone && other.item.type === undefined && other.index === index);
		const growing = open ?? this.begin(index);
		growing.item = item;
		return growing;
	}

	/** The item that a piece is of. `type`: that of the item which such a piece begins, where nothing else has. */
	ofPiece(event: WireItem, type: string): GrowingItem {
		const { item_id: id } = event;
		const index = indexIn(event);
		const newest = [...this.items].reverse();
		const found =
			newest.find(({ item }) => typeof id === "string" && id !== "" && item.id === id) ??
			newest.find((other) => index !== undefined && other.index === index) ??
			(index === undefined ? newest[0] : undefined);
		const growing = found ?? this.begin(index);
		if (growing.item.type === undefined) growing.item = { type };
		return growing;
	}

	/** The item that the event has as a whole. */
	ended(event: WireItem): GrowingItem {
		const item: WireItem = Object(event.item);
		const index = indexIn(event);
		const isHere = (other: GrowingItem) => index === undefined || other.index === index;
		const fits = this.items.filter((other) => isOfType(other.item, item.type));
		const known =
			fits.find((other) => isHere(other) && hasIdOf(other.item, item)) ??
			fits.find((other) => !other.isDone && hasIdOf(other.item, item)) ??
			fits.find((other) => !other.isDone && isHere(other) && !hasOtherId(other.item, item));
		const isOther = known?.isDone && jsonIn(item) !== "" && jsonIn(item) !== known.json; // a second call with the id of the first
		return known === undefined || isOther ? this.begin(index) : known;
	}

	/**
	 * The items in place of those of the whole answer at its end, which may have other ids than before: of each type the first is
	 * the first, and so on.
	 */
	amongAll(output: readonly WireItem[]): { growing: GrowingItem; item: WireItem }[] {
		const before = this.all;
		const seen = new Map<unknown, number>();
		return output.map((item) => {
			const n = seen.get(item.type) ?? 0;
			seen.set(item.type, n + 1);
			const growing = before.filter((other) => isOfType(other.item, item.type))[n];
			return { growing: growing ?? this.begin(undefined), item };
		});
	}

	private begin(index: number | undefined): GrowingItem {
		const block = this.items.length;
		const growing: GrowingItem = {
			...{ index: index ?? this.items.reduce((next, item) => Math.max(next, item.index + 1), 0), block },
			...{ item: {}, text: "", refusal: "", json: "", isDone: false, readCommand: partialCommandReader() },
		};
		this.items.push(growing);
		return growing;
	}
}

/** The arguments of a call as JSON; empty for an item without any. */
export function jsonIn({ arguments: given }: WireItem): string {
	if (typeof given === "string") return given;
	return typeof given === "object" && given !== null ? JSON.stringify(given) : "";
}

function indexIn({ output_index: index }: WireItem): number | undefined {
	return Number.isInteger(index) ? (index as number) : undefined;
}

function isOfType(item: WireItem, type: unknown): boolean {
	return item.type === undefined || item.type === type;
}

function idsOf({ id, call_id }: WireItem): unknown[] {
	return [call_id, id].filter((word) => typeof word === "string" && word !== "");
}

function hasIdOf(item: WireItem, other: WireItem): boolean {
	const ids = idsOf(other);
	return idsOf(item).some((id) => ids.includes(id));
}

function hasOtherId(item: WireItem, other: WireItem): boolean {
	return idsOf(item).length > 0 && idsOf(other).length > 0 && !hasIdOf(item, other);
}
