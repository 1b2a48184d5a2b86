import { native, program, returns, throws, timesOut } from '../program.ts'

const text = '"a".repeat(50) + "b"'

/** Catastrophic backtracking, pattern bombs and tricks with lastIndex. */
export const regularExpressions = [
  timesOut('nested quantifiers', `return /^(a+)+$/.test(${text})`),
  timesOut('alternatives that overlap', `return /^(a|aa|aaa)+$/.test(${text})`),
  timesOut('optional after optional', `return /^(a?){50}a{50}c/.test(${text})`),
  timesOut('a back reference under a star', `return /^(a*)*\\1c/.test(${text})`),
  timesOut(
    'a look-ahead that backtracks',
    `return /(?=(a+)+$)^c/.test(${text}) || /^(?=(a+)+c)/.test(${text})`,
  ),
  timesOut('a look-behind that backtracks', `return /(?<=^c(a+)+)b/.test(${text})`),
  timesOut('dots under stars', 'return /(.*)*(.*)*(.*)*x$/.test("a".repeat(200))'),
  native(
    'a pattern that ignores case over 1 MB',
    'return /(?:k|\\u212a)*?z(?!.)/i.test("K".repeat(1e6)) || /(k*)*z/i.test("K".repeat(1e4))',
    { finite: true },
  ),
  timesOut(
    'replace with a function that backtracks',
    `return (${text}).replace(/a/g, () => /^(a+)+$/.test(${text}))`,
  ),
  timesOut('split by a pattern that backtracks', `return (${text}).split(/(?:a+)+c/)`),
  timesOut(
    'exec that finds the same for ever',
    'const r = /a/g; while (r.exec("a")) r.lastIndex = 0',
  ),
  timesOut(
    'an exec of its own that never fails',
    'class R extends RegExp { exec() { this.lastIndex = 0; return { index: 0, 0: "" , length: 1 } } } return new R("a", "g")[Symbol.replace]("abc", "")',
  ),
  native(
    'matchAll of empty matches over 16 MB',
    'return [..."x".repeat(2 ** 24).matchAll(/(?:)/g)].length',
  ),
  native(
    'a repetition of 2 ** 31 - 1',
    'return /(?:a{2147483647}){2147483647}/.test("a".repeat(1e6))',
    { finite: true },
  ),
  native(
    'counted repetitions nested',
    'return new RegExp("(?:".repeat(6) + "a" + "{1000})".repeat(6)).test("a".repeat(1e6))',
    { finite: true },
  ),
  native(
    'classes of every character, ten thousand times',
    'return new RegExp("[\\\\p{L}\\\\p{N}\\\\p{S}]".repeat(10000), "iu").test("a")',
    { finite: true },
  ),
  throws(
    'groups nested 100,000 deep',
    'return new RegExp("(".repeat(100000) + ")".repeat(100000))',
    /stack overflow|too many|out of/,
  ),
  throws(
    '100,000 groups',
    'return new RegExp("()".repeat(100000)).exec("").length',
    /too many|invalid|captures/,
  ),
  throws(
    'a lastIndex whose valueOf throws',
    'const r = /a/g; r.lastIndex = { valueOf() { throw new Error("mine") } }; r.test("a")',
    /mine/,
  ),
  timesOut(
    'a lastIndex whose valueOf loops',
    'const r = /a/y; r.lastIndex = { valueOf() { for (;;); } }; r.test("a")',
  ),
  returns(
    'a lastIndex beyond every text',
    'const r = /a/g; r.lastIndex = 2 ** 53; return [r.test("a"), r.lastIndex]',
    [false, 0],
  ),
  program('a literal that does not compile', 'const main = () => /(?<a>.)(?<a>.)/', {
    fails: 'action_threw',
    says: /group|regexp|regular/i,
  }),
]
