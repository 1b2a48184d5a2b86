/** Rule 3: every container image is pinned by its digest, so the compose hash determines which code runs. */
import { tryParseJson } from '../../json/try-parse-json.ts'
import { check, quoted } from '../check-failed.ts'
import type { Info } from '../evidence.ts'
import type { Finding } from '../report.ts'
import { type YamlEntry, type YamlMapping, type YamlNode, checkLine } from '../strict-yaml/value.ts'
import { parseStrictYaml } from '../strict-yaml/parse.ts'

const PINNED = /^[A-Za-z0-9][A-Za-z0-9._:/-]*@sha256:[0-9a-f]{64}$/
/**
 * Allowed top-level keys. `include` and `models` are not allowed, because they load content that the compose text does
 * not pin.
 */
const TOP_LEVEL = new Set('configs name networks secrets services version volumes'.split(' '))
/**
 * Allowed service attributes. Excludes attributes that load content not pinned by the compose text (`build`, `develop`,
 * `extends`, `models`, `provider`, `use_api_socket`). Attributes of later versions of the Compose Specification are
 * rejected until they are added here.
 */
const SERVICE = new Set(
  `annotations attach blkio_config cap_add cap_drop cgroup cgroup_parent command configs container_name cpu_count
  cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset depends_on deploy
  device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint env_file environment expose external_links
  extra_hosts gpus group_add healthcheck hostname image init ipc isolation label_file labels links logging mac_address
  mem_limit mem_reservation mem_swappiness memswap_limit network_mode networks oom_kill_disable oom_score_adj pid
  pids_limit platform ports post_start pre_stop privileged profiles pull_policy pull_refresh_after read_only restart
  runtime scale secrets security_opt shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty
  ulimits user userns_mode uts volumes volumes_from working_dir`.split(/\s+/),
)
/**
 * Allowed mount types. Excludes `image`, because the `source` of such a mount names an image that this rule does not
 * check.
 */
const MOUNT_TYPES = new Set(['bind', 'cluster', 'npipe', 'tmpfs', 'volume'])
/** Attributes with dstack's shell scripts, which are part of the measured text and run in addition to the images. */
const SCRIPTS = ['pre_launch_script', 'init_script', 'bash_script']

export function imagesRule({ tcb_info }: Info): Finding {
  const compose = composeOf(tcb_info.app_compose)
  const text = compose['docker_compose_file']
  check(typeof text === 'string', 'app_compose has no docker_compose_file')
  const root = parseStrictYaml(text)
  const images = checkEveryEntry(root)
  checkStructure(root)
  check(images > 0, 'docker_compose_file has no images')
  const scripts = SCRIPTS.filter((name) => compose[name])
  const open = scripts.map(
    (name) => `What app_compose's ${name} does: it is measured, but is not an image.`,
  )
  const reason = images === 1 ? '1 image, pinned' : `${images} images, each pinned`
  return { outcome: 'passed', reason: `${reason} by its digest`, open }
}

/**
 * Checks every `image` and `type` entry at any depth, including entries of extensions that are merged into a service.
 * @returns the number of images
 */
function checkEveryEntry(root: YamlMapping): number {
  let images = 0
  const seen = new Set<YamlNode>()
  const visit = (node: YamlNode) => {
    // An alias is the same node object as its anchor. Visiting the node once for each alias would take exponential
    // time.
    if (seen.has(node)) return
    seen.add(node)
    if (node.kind === 'list') for (const item of node.items) visit(item)
    if (node.kind !== 'mapping') return
    for (const { line, key, value } of node.entries) {
      if (key === 'image') {
        images++
        const name = value.kind === 'word' ? value.text : value.kind
        checkLine(
          line,
          value.kind === 'word' && PINNED.test(name),
          `has the image ${quoted(name)}, which is not pinned: use name@sha256:<64 hex characters>`,
        )
      }
      if (key === 'type') checkNoImageMount(line, value)
      visit(value)
    }
    for (const merged of node.merged) visit(merged)
  }
  visit(root)
  return images
}

function checkNoImageMount(line: number, value: YamlNode): void {
  const isOther = value.kind === 'word' && value.text !== 'image' && !value.text.includes('$')
  checkLine(
    line,
    isOther,
    'may be a mount of the type image, which is not pinned: use a plain type',
  )
}

/** Nodes that were already checked, by role. Because of aliases, one node can have several roles. */
type VisitedNodes = { services: Set<YamlNode>; volumes: Set<YamlNode>; mounts: Set<YamlNode> }

function checkStructure(root: YamlMapping): void {
  const seen: VisitedNodes = { services: new Set(), volumes: new Set(), mounts: new Set() }
  for (const { line, key, value } of entriesOf(root, new Set())) {
    checkLine(line, isKnown(TOP_LEVEL, key), refusedKey(key, 'at the top level'))
    if (key !== 'services') continue
    for (const service of entriesOf(mappingOf(value, line), new Set()))
      checkService(mappingOf(service.value, service.line), seen)
  }
}

function checkService(service: YamlMapping, seen: VisitedNodes): void {
  for (const { line, key, value } of entriesOf(service, seen.services)) {
    checkLine(line, isKnown(SERVICE, key), refusedKey(key, 'in a service'))
    if (key !== 'volumes' || seen.volumes.has(value)) continue
    seen.volumes.add(value)
    checkLine(line, value.kind === 'list', 'has volumes that are not a list')
    for (const mount of value.items) if (mount.kind === 'mapping') checkMount(mount, seen)
  }
}

function checkMount(mount: YamlMapping, seen: VisitedNodes): void {
  for (const { line, key, value } of entriesOf(mount, seen.mounts))
    if (key === 'type')
      checkLine(
        line,
        value.kind === 'word' && MOUNT_TYPES.has(value.text),
        `has a mount type other than ${[...MOUNT_TYPES].join(', ')}`,
      )
}

/** Returns a mapping's entries, including those of merged mappings. Skips mappings that are already in `seen`. */
function entriesOf(mapping: YamlMapping, seen: Set<YamlNode>): YamlEntry[] {
  const entries: YamlEntry[] = []
  const pending = [mapping]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (const entry of next.entries) entries.push(entry)
    for (const merged of next.merged) pending.push(merged)
  }
  return entries
}

function mappingOf(node: YamlNode, line: number): YamlMapping {
  checkLine(line, node.kind === 'mapping', 'is not a mapping: write "key: value" lines below it')
  return node
}

/** Returns true for a known key, and for a key that starts with `x-`, which Compose ignores. */
function isKnown(known: ReadonlySet<string>, key: string): boolean {
  return known.has(key) || key.startsWith('x-')
}

function refusedKey(key: string, where: string): string {
  return `has ${quoted(key)} ${where}, which could add content that is not pinned: remove it`
}

function composeOf(text: string): Record<string, unknown> {
  const parsed = tryParseJson(text)
  check(parsed !== undefined, 'app_compose is not JSON')
  check(typeof parsed === 'object' && parsed !== null, 'app_compose is not a JSON object')
  return parsed as Record<string, unknown>
}
