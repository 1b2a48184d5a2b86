import { isDeepStrictEqual } from 'node:util'
import { IDLE_HOOKS } from '../host/run-functions.ts'
import type { Sandbox } from './sandbox.ts'

/** The self-test found that the sandbox resets incorrectly or computes wrong results. The origin must not start. */
export class SelfTestError extends Error {
  constructor(what: string) {
    super(`the sandbox's self-test failed: ${what}`)
    this.name = 'SelfTestError'
  }
}

/**
 * Params that the sandbox must return unchanged. They contain NUL, a lone surrogate, and an own property named
 * `__proto__`.
 */
const PARAMS = '{"a":[1,"\\u0000\\ud83d"],"__proto__":{"b":1}}'

type Probe = {
  name: string
  code: string
  /** Expected outcome: the returned value as JSON text, a part of the thrown error's message, or `stopped`. */
  expected: { value: string } | { thrown: string } | 'stopped'
}

const PROBES: Probe[] = [
  {
    name: 'params and result',
    code: 'async function main(params) { return params }',
    expected: { value: PARAMS },
  },
  {
    name: 'a signature',
    code: `async function main() { return new ethers.Wallet('0x${'01'.repeat(32)}').signMessage('svc') }`,
    expected: {
      value:
        '"0xfb7c8f8134317bf5035c805f60268a397695e5a3fcdf9952144a56da8e078e7d180636c772e6a597c00736ade6108d46a84e1fb60c99de028decf2348a3461b21c"',
    },
  },
  {
    name: 'pollution',
    code: `Object.prototype.polluted = 1; Array.prototype.push = null; globalThis.left = new Map([[1, 2]])
      ethers.utils = null; JSON.stringify = null; Promise.prototype.then = 0; var main = () => 'polluted'`,
    expected: { value: '"polluted"' },
  },
  {
    name: 'leftovers of the previous run',
    code: `async function main() {
      return [typeof {}.polluted, typeof [].push, typeof left, typeof ethers.utils, typeof JSON.stringify]
    }`,
    expected: { value: '["undefined","function","undefined","object","function"]' },
  },
  {
    name: 'memory beyond the template',
    code: `const kept = []
      async function main() {
        for (let at = 1; at <= 24; at++) kept.push(new Uint8Array(1 << 20).fill(at))
        return kept.length
      }`,
    expected: { value: '24' },
  },
  {
    name: 'all of the memory',
    code: `const kept = []; async function main() { for (;;) kept.push(new Uint8Array(1 << 20).fill(1)) }`,
    expected: { thrown: 'out of memory' },
  },
  {
    name: 'recursion',
    code: `const deep = (n) => deep(n + 1) + 1; async function main() { return deep(0) }`,
    expected: { thrown: 'stack' },
  },
  {
    name: 'an endless loop',
    code: 'async function main() { for (;;); }',
    expected: 'stopped',
  },
]

const CLOCK_CHECKS_MAX = 100

/**
 * Runs all probes in one sandbox. After each probe, resets the sandbox and requires its whole memory to equal the
 * template.
 * @throws SelfTestError
 */
export function selfTest(sandbox: Sandbox): void {
  requireReset(sandbox, 'a new sandbox')
  for (const { name, code, expected } of PROBES) {
    const ended = runProbe(sandbox, code)
    const asExpected =
      expected === 'stopped' || 'value' in expected
        ? isDeepStrictEqual(ended, expected)
        : typeof ended === 'object' && 'thrown' in ended && ended.thrown.includes(expected.thrown)
    if (!asExpected) throw new SelfTestError(`${name}: ended with ${JSON.stringify(ended)}`)
    sandbox.reset()
    requireReset(sandbox, name)
  }
  const drawn = [0, 1, 2].map(() => {
    const ended = runProbe(sandbox, 'async function main() { return Math.random() }')
    sandbox.reset()
    return JSON.stringify(ended)
  })
  if (new Set(drawn).size !== drawn.length)
    throw new SelfTestError('Math.random returned the same number in two runs')
}

function requireReset(sandbox: Sandbox, after: string): void {
  const at = sandbox.firstDifference()
  if (at !== undefined)
    throw new SelfTestError(`after ${after}, memory from offset ${at} differs from the template`)
}

function runProbe(
  { vm }: Sandbox,
  code: string,
): { value: string } | { thrown: string } | 'stopped' {
  let ended: { value: string } | { thrown: string } | undefined
  let clockChecks = 0
  vm.hooks = {
    ...IDLE_HOOKS,
    finish: (value) => (ended ??= { value }),
    fail: (_code, _name, thrown) => (ended ??= { thrown }),
    mustStop: () => ++clockChecks > CLOCK_CHECKS_MAX,
  }
  vm.call('receive', [PARAMS])
  const thrown = vm.evaluate(code)
  if (thrown !== undefined) vm.callWith('uncaught', [thrown])
  else vm.call('begin', [])
  const isOver = () => ended !== undefined || clockChecks > CLOCK_CHECKS_MAX
  while (!isOver() && vm.hasJobs) vm.runJobs(1)
  return clockChecks > CLOCK_CHECKS_MAX ? 'stopped' : (ended ?? { thrown: 'did not end' })
}
