/** Plays an agent that only has the guide, with its own home directory, and the person it asks. */
import { spawn, spawnSync } from 'node:child_process'
import { differs } from './sample.ts'
import type { Request, Step } from './guide.ts'

export type Person = {
  email: string
  accountKey: string
  /** Opens a link in a browser, and types the code if there is one. */
  open: (url: string, code?: string) => Promise<void>
}

export type Walk = {
  home: string
  caFile: string
  person: Person
}

/**
 * Runs the steps in order, each in a new shell, because not every agent keeps one. The person acts while the next step
 * runs.
 * @throws {Error} that names the failed step, with its output
 */
export async function doAll(steps: Step[], { home, caFile, person }: Walk): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: home, CURL_CA_BUNDLE: caFile }
  let meanwhile: Promise<void> = Promise.resolve()
  for (const { at, commands, sample, asks } of steps) {
    const [{ code, stdout, stderr }] = await Promise.all([shell(commands, env), meanwhile])
    const fault = code !== 0 ? `exit code ${code}` : sample && differs(sample, stdout)
    if (fault !== undefined)
      throw new Error(`${at}: ${fault}\n\n${commands}\nprinted:\n${stdout}\n${stderr}`)
    meanwhile = Promise.all(asks.map((request) => act(request, stdout, person, env))).then(() => {})
    // Awaited with the next step, so an earlier rejection must not count as unhandled.
    meanwhile.catch(() => {})
  }
  await meanwhile
}

async function act(
  request: Request,
  shown: string,
  { email, accountKey, open }: Person,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  switch (request) {
    case 'open': {
      const url = /https?:\/\/\S+/.exec(shown)?.[0] ?? ''
      return open(url, /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(shown)?.[0])
    }
    case 'whether':
      if (!shown.includes(`"${email}"`)) throw new Error(`the person was not shown ${email}`)
      return
    case 'run': {
      // Enough input for each time that the commands prompt for the key.
      const { code, stderr } = await shell(shown, env, `${accountKey}\n`.repeat(3))
      if (code !== 0) throw new Error(`the person's commands failed:\n${shown}\n${stderr}`)
    }
  }
}

type Ended = { code: number | null; stdout: string; stderr: string }

/** Runs with `-eu`, so that no failed command of a block is missed. */
function shell(commands: string, env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-euc', commands], { env, cwd: env['HOME'] })
    const ended: Ended = { code: null, stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (ended.stdout += String(chunk)))
    child.stderr.on('data', (chunk) => (ended.stderr += String(chunk)))
    child.on('close', (code) => resolve({ ...ended, code }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** True if the tools of the guide are installed; `.ci/run` installs them. */
export const hasTools =
  spawnSync('sh', ['-c', 'curl --version && openssl version && jq --version']).status === 0
if (!hasTools) console.warn('curl, openssl or jq is not installed: the guide for agents is not run')
