import { resolve } from 'node:path'
import { ActionBuildError } from '../../../build/action-build-error.ts'
import { readAction } from '../../action-source.ts'
import type { Cli } from '../../cli.ts'
import { failureLines, failureOf } from '../../failures.ts'
import { WatchedFiles } from './watched-files.ts'

/** Debounce time for file changes, because editors write a file in several steps. */
const DEBOUNCE_MS = 50

/**
 * Calls `act` now and after each change of the watched files, until the signal aborts.
 * @param act may watch further files. Not called again before it has ended
 */
export async function onEachChange(
  files: readonly string[],
  { signal }: { signal: AbortSignal },
  act: (watched: WatchedFiles) => Promise<void>,
): Promise<void> {
  let wake: () => void = () => undefined
  const watched = new WatchedFiles(() => setTimeout(() => wake(), DEBOUNCE_MS))
  watched.add(files)
  signal.addEventListener('abort', () => wake())
  try {
    while (!signal.aborted) {
      const changed = new Promise<void>((resume) => (wake = resume))
      await act(watched)
      if (!signal.aborted) await changed
    }
  } finally {
    watched.close()
  }
}

/**
 * Calls `onSource` with the source of an action, now and each time it has changed, until the terminal's signal aborts.
 * Reports a failed build, and waits for the next change.
 * @throws {UsageError | ActionBuildError} if the source cannot be read or built at first
 */
export async function watchSource(
  file: string,
  cli: Cli,
  onSource: (code: string) => Promise<void>,
): Promise<void> {
  const { folder } = cli.terminal
  // Later, the file may disappear while an editor replaces it.
  await cli.actionSource(file)
  let last: string | undefined
  await onEachChange([resolve(folder, file)], cli.terminal, async (watched) => {
    try {
      const { code, inputs } = await readAction(file, cli.terminal)
      watched.add(inputs)
      if (code === last) return
      last = code
    } catch (error) {
      if (error instanceof ActionBuildError) reportFailure(error, cli)
      return
    }
    await onSource(last)
  })
}

/** Prints an expected error as it would be printed at the end of a command. @throws any other error */
export function reportFailure(error: unknown, { terminal: { signal }, warn }: Cli): void {
  const failure = signal.aborted ? undefined : failureOf(error)
  if (!failure) throw error
  for (const line of failureLines(failure)) warn(line)
}
