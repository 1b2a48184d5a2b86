import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfiguration } from '../../origin/preflight/configuration.ts'
import { ORIGIN_NODE_OPTIONS } from '../../origin/node-options.ts'
import { Child } from '../../origin/stack/child.ts'

/**
 * Mounts what a container of the compose file has, and replaces itself by the origin. Mounts are private to the process
 * and end with it. Arguments: root, state, tls, socket, command.
 */
const CONTAINER = `
root=$1
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$2" "$root/state"
mount --bind "$3" "$root/tls"
mount --bind "$4" "$root/var/run/dstack.sock"
mount -o remount,bind,ro "$root"
shift 4
exec unshare --root="$root" --wd=/app "$@"`

/** `cap_drop`, `cap_add` and `security_opt` of the compose file. */
const PRIVILEGES = ['--bounding-set=-all,+sys_nice', '--no-new-privs']

type Options = {
  /** Root file system of the image. */
  root: string
  /** App-compose file that the governance approved. */
  composeFile: string
  /** File with the secrets of the encrypted environment. */
  secretsFile: string
  /** Folder of the machine's volumes. */
  folder: string
  /** Unix socket of the guest agent. */
  socket: string
  /** Address at which the machine is reached. */
  address: string
  onLine: (line: string) => void
}

/** Time for the origin to drain and to close everything, as `stop_grace_period` in the compose file. */
const STOP_MS = 90_000

/** A machine that runs the image, with exactly the environment that its compose file and its secrets determine. */
export class Machine {
  readonly address: string
  readonly #options: Options
  #child: Child | undefined

  constructor(options: Options) {
    this.address = options.address
    this.#options = options
    for (const volume of ['state', 'tls'])
      mkdirSync(join(options.folder, volume), { recursive: true })
  }

  /** @throws {ChildFailedError} */
  async start(): Promise<void> {
    const { root, composeFile, secretsFile, folder, socket, onLine } = this.#options
    const { environment } = readConfiguration({ composeFile, varsFile: secretsFile }, {})
    const volumes = [join(folder, 'state'), join(folder, 'tls'), socket]
    const origin = ['/bin/setpriv', ...PRIVILEGES, '/bin/node', ...ORIGIN_NODE_OPTIONS]
    this.#child = new Child({
      name: `origin at ${this.address}`,
      command: 'unshare',
      args: ['--mount', 'sh', '-ec', CONTAINER, 'sh', root, ...volumes]
        .concat(origin)
        .concat('origin/main.ts'),
      env: {
        ...environment,
        NODE_ENV: 'production',
        PATH: process.env['PATH'],
        // All machines share one network here, so each one has an address instead of a host.
        SVC_ORIGIN_HOST: this.address,
        NODE_EXTRA_CA_CERTS: '/etc/ssl/authority.pem',
        // The simulated platform's collateral is not at Intel's own service.
        SVC_PCCS_URL: 'https://pccs.rehearsal.example',
      },
      ipc: true,
      stopSignal: 'SIGTERM',
      stopMs: STOP_MS,
      onLine,
      started: () => {},
    })
    await this.#child.waitForReady()
  }

  /** Stops the machine gracefully. @returns how the process ended */
  async stop(): Promise<string | undefined> {
    return this.#child?.stop()
  }

  async kill(): Promise<void> {
    await this.#child?.kill()
  }
}
