/**
 * `npm run test:nightly`: plays long campaigns in pieces, and records each finished piece so that a later run can
 * resume.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { StateInUseError, StateLock } from '../../origin/stack/state-lock.ts'
import { type Campaign, campaignOf, CAMPAIGNS } from './campaigns.ts'
import { leftOf, nameOf, type Piece, type Shard } from './pieces.ts'
import { playPiece } from './play-piece.ts'
import { append, type Finished, readProgress } from './progress.ts'
import { clearScratch, scratchOf } from './scratch.ts'
import { duration, failedOf, status, table } from './status.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Not in `node_modules`, which `npm ci` deletes.
const FOLDER = join(root, '.svc-nightly')
const PROGRESS = join(FOLDER, 'progress.jsonl')
const PAGE = join(root, 'docs', 'reliability.md')

type Options = {
  resume?: true
  status?: true
  page?: true
  only: readonly Campaign[]
  minutes: number
  shard: Shard
}

const options = new Command('npm run test:nightly --')
  .option('--resume', 'skip pieces that passed, at whichever commit')
  .option('--status', 'print the status and play nothing')
  .option('--page', 'write the table of the status into docs/reliability.md and play nothing')
  .option('--only <campaigns>', 'comma-separated campaigns', campaignsOf, CAMPAIGNS)
  .option('--minutes <minutes>', 'begin no piece after this time', minutesOf, Infinity)
  .option('--shard <n/of>', 'a part of the pieces, as 1/2', shardOf, { index: 0, of: 1 })
  .parse()
  .opts<Options>()

if (options.page) writePage()
else if (options.status) console.log(status(options.only, readProgress(PROGRESS)))
else await run()

function campaignsOf(names: string): Campaign[] {
  try {
    return names.split(',').map(campaignOf)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

function minutesOf(text: string): number {
  const minutes = Number(text)
  if (minutes > 0) return minutes
  throw new InvalidArgumentError('expected a positive number')
}

function shardOf(text: string): Shard {
  const [, n, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number)
  if (n !== undefined && of !== undefined && n >= 1 && n <= of) return { index: n - 1, of }
  throw new InvalidArgumentError('expected a part and how many there are, as 1/2')
}

async function run(): Promise<void> {
  const lock = await takeLock()
  const scratch = scratchOf(root)
  try {
    // A killed run may have left its last piece running.
    await clearScratch(scratch)
    await playAll(scratch, interruption())
  } finally {
    lock.release()
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function takeLock(): Promise<StateLock> {
  try {
    return await StateLock.take(FOLDER)
  } catch (error) {
    if (!(error instanceof StateInUseError)) throw error
    console.error('another nightly run of this checkout is in progress')
    process.exit(2)
  }
}

function interruption(): AbortSignal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())
  return interrupted.signal
}

async function playAll(scratch: string, interrupted: AbortSignal): Promise<void> {
  const { only, minutes, shard } = options
  if (options.resume) console.log(`${status(only, readProgress(PROGRESS))}\n`)
  else {
    const restarted = only.map(({ name }) => name)
    append(PROGRESS, { restarted, commit: commit(), date: new Date().toISOString() })
  }
  const passed = readProgress(PROGRESS).filter((piece) => piece.passed)
  const endsAt = performance.now() + minutes * 60_000
  for (const piece of only.flatMap((campaign) => leftOf(campaign, passed, shard))) {
    if (interrupted.aborted || performance.now() > endsAt) break
    const finished = await play(piece, scratch, interrupted)
    if (!finished) break
    append(PROGRESS, finished)
    const verdict = finished.passed ? 'passed' : 'FAILED'
    console.log(`${nameOf(piece)}: ${verdict} in ${duration(finished.seconds)}`)
  }
  const results = readProgress(PROGRESS)
  console.log(`\n${status(only, results)}`)
  const failed = failedOf(results).filter(({ campaign }) =>
    only.some(({ name }) => name === campaign),
  )
  process.exitCode = interrupted.aborted ? 130 : Math.min(1, failed.length)
}

async function play(
  piece: Piece,
  scratch: string,
  interrupted: AbortSignal,
): Promise<Finished | undefined> {
  const log = join(FOLDER, `${piece.campaign}-${piece.first}.log`)
  const playedAt = commit()
  const startedAt = performance.now()
  const outcome = await playPiece(piece, { scratch, log, interrupted })
  // Keeps only the output of failures, because 40 pieces of the money campaign print a lot.
  if (outcome?.passed !== false) rmSync(log, { force: true })
  if (!outcome) return undefined
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  return { ...piece, ...outcome, seconds, commit: playedAt, date: new Date().toISOString() }
}

/** Read for each piece, because the commit may change during a run of hours. */
function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const hash = git('rev-parse', '--short', 'HEAD').trim()
  return git('status', '--porcelain', '--untracked-files=no') === '' ? hash : `${hash}+`
}

function writePage(): void {
  const page = readFileSync(PAGE, 'utf8')
  const rows = table(CAMPAIGNS, readProgress(PROGRESS))
  writeFileSync(
    PAGE,
    page.replace(
      /(<!-- nightly -->\n)[^]*?(<!-- end -->)/,
      (_, begin, end) => `${begin}${rows}\n${end}`,
    ),
  )
}
