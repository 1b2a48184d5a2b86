import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Builds the Worker with wrangler, without deploying it.
 * @param args further arguments of `wrangler deploy --dry-run`
 * @throws {Error} with wrangler's output
 */
export async function buildWithWrangler(root: string, args: readonly string[]): Promise<void> {
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const env = {
    ...process.env,
    // Wrangler's build command runs `node`, which must have the same version as this process.
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    WRANGLER_SEND_METRICS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  }
  const command = [wrangler, 'deploy', '--dry-run', ...args]
  try {
    await promisify(execFile)(process.execPath, command, { cwd: root, env })
  } catch (error) {
    // Wrangler prints the errors of the build command to its standard output.
    const { stdout = '', stderr = String(error) } = error as { stdout?: string; stderr?: string }
    throw new Error(`the Worker could not be built: ${stdout}${stderr}`, { cause: error })
  }
}
