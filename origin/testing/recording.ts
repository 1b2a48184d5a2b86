import { RecordingFile } from './recording-file.ts'
import type { Recording, RecordingOptions } from './types.ts'

/**
 * Replays responses from a JSON file. `svc test --record` records the file, with the real responses. Each recorded
 * response is used once in a run.
 * @param file path relative to the working directory
 * @example
 * await runAction('src/action.ts', { fetch: recording('test/recordings/prices.json') })
 */
export function recording(file: string, options?: RecordingOptions): Recording {
  return new RecordingFile(file, options)
}
