// Tiles of the spectrogram: fetched coarse to fine, decoded to grey, coloured when they are drawn.
import { lookup } from "./colours.ts";
import { DataStore, type DataStoreParts } from "./dataStore.ts";
import { rangeOf, type View } from "./geometry.ts";
import { partOf, storedStatistic, type Tile, tileLevel, tilesIn, tilesWanted } from "./levels.ts";
import type { Manifest, Remote, SpectrogramShape, Statistic } from "./remote.ts";
import type { Look } from "./state.ts";

const LIMIT_BYTES = 64 * 2 ** 20;
const BYTES_PER_PIXEL = 5; // one grey, four coloured

interface Picture {
  grey: Uint8Array;
  image: OffscreenCanvas;
  /** Which look the image was coloured with. */
  colouring: number;
  complete: boolean;
}

/** A piece of a picture that can stand in for a tile: some of the columns of some image. */
interface Share {
  image: OffscreenCanvas;
  left: number;
  width: number;
  exact: boolean;
}

export class TileStore {
  readonly #remote: Remote;
  readonly #store: DataStore<Picture>;
  readonly #scratch = new OffscreenCanvas(1, 1);
  #shape: SpectrogramShape;
  #look: Look;
  #table: Uint32Array<ArrayBuffer>;
  #colouring = 0;

  constructor(parts: DataStoreParts, manifest: Manifest, look: Look) {
    this.#remote = parts.remote;
    this.#shape = manifest.spectrogram;
    this.#look = look;
    this.#table = lookup(this.#shape.floor_db, this.#shape.ceiling_db, look);
    this.#store = new DataStore(parts, {
      limitBytes: LIMIT_BYTES,
      fetch: (key, signal) => this.#fetch(key, signal),
      byteCount: ({ grey }) => grey.length * BYTES_PER_PIXEL,
      release: ({ image }) => {
        image.width = 0;
        image.height = 0;
      },
    });
  }

  get failing(): boolean {
    return this.#store.failing;
  }

  setLook(look: Look): void {
    this.#look = look;
    this.#table = lookup(this.#shape.floor_db, this.#shape.ceiling_db, look);
    this.#colouring += 1;
  }

  refresh(manifest: Manifest): void {
    this.#shape = manifest.spectrogram;
    this.#store.refresh();
  }

  /** Fetch what the view needs, and after that what it will need when it has moved to `ahead`. */
  want(view: View, ratio: number, length: number, ahead: View = view): void {
    const has = (tile: Tile) => this.#store.has(this.#key(tile));
    const level = tileLevel(this.#shape, view, ratio);
    const later = ahead === view ? [] : tilesIn(this.#shape, level, rangeOf(ahead), length);
    const tiles = [...tilesWanted(this.#shape, view, ratio, length, has), ...later];
    this.#store.want([...new Set(tiles.map((tile) => this.#key(tile)))]);
  }

  failed(tile: Tile): boolean {
    return this.#store.failed(this.#key(tile));
  }

  /** The best picture there is for a tile: itself, or the part of a coarser one, or the other statistic's. */
  best(tile: Tile): Share | undefined {
    const other: Statistic = this.#look.statistic === "max" ? "mean" : "max";
    return this.#find(tile, this.#look.statistic) ?? this.#find(tile, other);
  }

  /** The value of the picture at a column and row of a tile, if the tile itself is here. */
  valueAt(tile: Tile, column: number, row: number): number | undefined {
    const { columns, rows } = this.#shape;
    if (column < 0 || column >= columns || row < 0 || row >= rows) return undefined;
    return this.#store.peek(this.#key(tile))?.grey[row * columns + column];
  }

  #find(tile: Tile, statistic: Statistic): Share | undefined {
    for (let level = tile.level; level < this.#shape.levels; level += 1) {
      const { tile: holder, left, width } = partOf(this.#shape, tile, level);
      const picture = this.#store.get(this.#key(holder, statistic));
      if (picture) return { image: this.#coloured(picture), left, width, exact: level === tile.level };
    }
    return undefined;
  }

  #key(tile: Tile, statistic: Statistic = this.#look.statistic): string {
    return `${storedStatistic(this.#shape, statistic, tile.level)}/${tile.level}/${tile.index}`;
  }

  async #fetch(key: string, signal: AbortSignal): Promise<Picture> {
    const [statistic, level, index] = key.split("/");
    const answer = await this.#remote.tile(statistic as Statistic, Number(level), Number(index), signal);
    const grey = await this.#decode(new Blob([answer.bytes], { type: "image/jpeg" }));
    const { columns, rows } = this.#shape;
    return { grey, image: new OffscreenCanvas(columns, rows), colouring: -1, complete: answer.complete };
  }

  /** Colour spaces are left alone: the numbers in the picture are levels, not light. */
  async #decode(blob: Blob): Promise<Uint8Array> {
    const bitmap = await createImageBitmap(blob, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
    const { columns, rows } = this.#shape;
    this.#scratch.width = columns;
    this.#scratch.height = rows;
    const context = this.#scratch.getContext("2d", { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    const { data } = context.getImageData(0, 0, columns, rows);
    const grey = new Uint8Array(columns * rows);
    for (let pixel = 0; pixel < grey.length; pixel += 1) grey[pixel] = data[pixel * 4] ?? 0;
    return grey;
  }

  #coloured(picture: Picture): OffscreenCanvas {
    if (picture.colouring === this.#colouring) return picture.image;
    const { columns, rows } = this.#shape;
    const pixels = new Uint32Array(columns * rows);
    const { grey } = picture;
    for (let pixel = 0; pixel < grey.length; pixel += 1) pixels[pixel] = this.#table[grey[pixel] as number] as number;
    const context = picture.image.getContext("2d") as OffscreenCanvasRenderingContext2D;
    context.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows), 0, 0);
    picture.colouring = this.#colouring;
    return picture.image;
  }
}
