// One attempt to carry a file to its end by tus: asks where the server has it, and sends pieces from there.
import { DefaultHttpStack, Upload } from "tus-js-client";
import type { Scope } from "../lib/scope.ts";
import type { Hasher } from "./hasher.ts";
import type { Row } from "./shipment.ts";
import { CheckedStack } from "./stack.ts";

const PIECE_BYTES = 8 * 1024 * 1024;

export interface Attempt {
  /** Null when the whole file is there, otherwise what went wrong; an aborted attempt ends too. */
  ended: Promise<unknown>;
  abort(): void;
}

export interface Road {
  hasher: Hasher;
  csrf: () => string;
  scope: Scope;
  onMove: () => void;
  /** A piece is on the server's disk: whatever was in the way is not any more. */
  onPiece: () => void;
}

export function attemptBy({ hasher, csrf, scope, onMove, onPiece }: Road): (row: Row, file: File) => Attempt {
  return (row, file) => {
    const digest = (start: number, end: number) => hasher.of(row.path, file, start, end);
    let resolve: (problem: unknown) => void = () => {};
    const ended = new Promise<unknown>((settle) => {
      resolve = settle;
    });
    const upload = new Upload(file, {
      uploadUrl: row.url,
      chunkSize: PIECE_BYTES,
      retryDelays: null, // the sender asks again, for as long as it takes
      storeFingerprintForResuming: false, // the server's list says where every file goes
      httpStack: new CheckedStack(new DefaultHttpStack({}), { digest, csrf, scope }),
      onAfterResponse: (request, response) => {
        if (request.getMethod() !== "HEAD" || response.getStatus() !== 200) return;
        row.received = Number(response.getHeader("Upload-Offset"));
      },
      onProgress: (sent) => {
        row.underway = Math.max(0, sent - row.received);
        onMove();
      },
      onChunkComplete: (_size, accepted) => {
        row.received = accepted;
        row.underway = 0;
        onPiece();
        onMove();
      },
      onSuccess: () => resolve(null),
      onError: (problem) => resolve(problem),
    });
    upload.start();
    const abort = () => {
      void upload.abort();
      resolve(new Error("aborted"));
    };
    return { ended, abort };
  };
}
