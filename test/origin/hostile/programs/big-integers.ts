import { native, returns, throws, timesOut } from '../program.ts'

/** Numbers that need much time or memory. */
export const bigIntegers = [
  throws('2 to the power of 100,000,000', 'return 2n ** 100000000n', /BigInt|large|out of/i),
  throws('a shift by 2 ** 40', 'return 1n << (1n << 40n)', /BigInt|large|out of/i),
  throws('a shift by -(2 ** 63)', 'return 1n >> -(1n << 63n)', /BigInt|large|out of/i),
  native('3 to the power of 600,000', 'return (3n ** 600000n).toString().length', { finite: true }),
  native('factorials', 'let f = 1n; for (let i = 1n; ; i++) f *= i'),
  native('the decimal text of a million bits', 'for (;;) ((1n << 1000000n) - 1n).toString()'),
  native('a BigInt read from a million digits', 'for (;;) BigInt("7".repeat(300000))'),
  native(
    'division of large by large',
    'const a = (1n << 1000000n) - 1n, b = (1n << 500000n) + 1n; for (;;) a / b',
  ),
  native(
    'remainders',
    'let a = (1n << 900000n) - 1n; const b = (1n << 400000n) + 7n; for (;;) a % b',
  ),
  timesOut('asUintN in a loop', 'for (let b = 1n; ; b = BigInt.asUintN(100000, b * 3n));'),
  throws('a mix with numbers', 'return 1n + 1', /bigint/i),
  throws('division by zero', 'return 1n / 0n', /zero/),
  throws('from a fraction', 'return BigInt(1.5)', /integer|BigInt/i),
  returns(
    'a text that is none',
    'try { BigInt("0x" + "g") } catch (e) { return e.name }',
    'SyntaxError',
  ),
  returns('asIntN of 2 ** 53 - 1 bits', 'return String(BigInt.asIntN(2 ** 53 - 1, 5n))', '5'),
]
