/** Runs the commands of one page in order in one shell, and saves the page's files. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Block, fileOf, isCommands, root } from './blocks.ts'

const SVC = join(root, 'shared/cli/main.ts')

export type Surroundings = {
  /** The reader's home directory; its `bin` folder comes first in `PATH`. */
  folder: string
  environment: Record<string, string>
  /** Maps addresses and paths in the page to actual ones; applied in order. */
  inPlaceOf: Record<string, string>
  /** Opens the URL that a command prints, and types the code. */
  open: (url: string, code: string) => Promise<void>
}

/**
 * @param before commands that must run before the page's own
 * @returns the output of each block of commands
 * @throws {Error} that names the failed block, with its output
 */
export async function readPage(
  blocks: Block[],
  { folder, environment, inPlaceOf, open }: Surroundings,
  before: string[] = [],
): Promise<Map<Block, string>> {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  command(
    folder,
    'svc',
    `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${SVC}" "$@"`,
  )
  // npm takes longer to start than most commands to run. README.md's verification uses the real npm.
  command(folder, 'npx', '[ "$1" = --no-install ] && shift; exec "$@"')
  const here = (text: string) => {
    let changed = text
    for (const [there, ours] of Object.entries(inPlaceOf)) changed = changed.replaceAll(there, ours)
    return changed
  }
  for (const block of blocks) {
    const file = fileOf(block)
    if (file !== undefined) writeFileSync(here(file), here(block.text))
  }
  const typed = blocks.filter(isCommands)
  const script = [...before, ...typed.map(({ text }) => text)].map(here)
  const ran = await shell(`set -euo pipefail\n${script.join('\nprintf "\\036"\n')}`, {
    env: {
      HOME: folder,
      LANG: 'C.UTF-8',
      PATH: [join(folder, 'bin'), `${root}node_modules/.bin`, process.env['PATH']].join(delimiter),
      ...environment,
    },
    open,
  })
  const printed = ran.stdout.split('\x1e').slice(before.length)
  if (ran.code !== 0) {
    const at = typed[printed.length - 1]
    throw new Error(
      `${at?.page}:${at?.line} ended with ${ran.code}\n${at?.text}\nprinted:\n${printed.at(-1)}\n${ran.stderr}`,
    )
  }
  return new Map(typed.map((block, index) => [block, printed[index]!]))
}

function command(folder: string, name: string, text: string): void {
  const file = join(folder, 'bin', name)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

type Ended = { code: number | null; stdout: string; stderr: string }

function shell(
  script: string,
  { env, open }: { env: NodeJS.ProcessEnv; open: Surroundings['open'] },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended: Ended = { code: null, stdout: '', stderr: '' }
    let asked = 0
    child.stdout.on('data', (chunk) => (ended.stdout += String(chunk)))
    child.stderr.on('data', (chunk) => {
      ended.stderr += String(chunk)
      const requests = [
        ...ended.stderr.matchAll(/^Open +(\S+)\n(?:.*\n)*?Type the code +(\S+)\n/gm),
      ]
      for (const [, url, code] of requests.slice(asked)) {
        asked += 1
        open(url!, code!).catch((error) => {
          child.kill()
          reject(error as Error)
        })
      }
    })
    child.on('close', (code) => resolve({ ...ended, code }))
  })
}
