/** A reader of one page, who types its commands into one shell, in order, and saves its files. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Block, fileOf, isCommands, root } from './blocks.ts'

const SVC = join(root, 'shared/cli/main.ts')

export type Surroundings = {
  /** Of the reader alone: the home, and the commands that are found first. */
  folder: string
  environment: Record<string, string>
  /** What the page has, and what it is here, in the order in which it is exchanged: addresses, files. */
  inPlaceOf: Record<string, string>
  /** Opens the link that a command prints, and types the code. */
  open: (url: string, code: string) => Promise<void>
}

/**
 * @param before commands that the page takes for granted
 * @returns what each block of commands printed
 * @throws {Error} that names the block that failed, with what it wrote
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
  // npm takes longer to start than most commands to be done; README's own verification has the real one.
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
