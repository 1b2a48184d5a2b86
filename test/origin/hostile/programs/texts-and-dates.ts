import { native, returns, throws, timesOut } from '../program.ts'

/** Extreme texts, numbers and dates. */
export const textsAndDates = [
  throws('normalize to a form that is none', '"a".normalize("x")', /form|normal/i),
  throws('a repetition of -1', '"a".repeat(-1)', /count|repeat|invalid/i),
  throws('a code point beyond all', 'String.fromCodePoint(0x110000)', /code point|invalid/i),
  throws('text from a symbol', 'return `${Symbol("s")}`', /symbol/i),
  throws('a URI of half a pair', 'encodeURIComponent("\\ud800")', /./),
  throws('a URI that is cut', 'decodeURIComponent("%E0%A4")', /./),
  throws('a radix of 37', '(1).toString(37)', /radix/i),
  throws('a precision of 101', '(1).toFixed(101)', /./),
  throws('an ISO text of an invalid date', 'new Date(NaN).toISOString()', /invalid|date/i),
  returns(
    'the largest date and one more',
    'return [new Date(8.64e15).getTime(), String(new Date(8.64e15 + 1).getTime())]',
    [8.64e15, 'NaN'],
  ),
  returns(
    'a date of a text that is none',
    'return String(new Date("9".repeat(1e6)))',
    'Invalid Date',
  ),
  returns(
    'dates of odd fields',
    'return [new Date(1e9, 1e9, 1e9).getTime(), new Date(0).setMonth(Infinity)].map(String)',
    ['NaN', 'NaN'],
  ),
  returns(
    'a zone that is not the machine’s',
    'return [new Date(0).getTimezoneOffset(), new Date(0).toString().includes("GMT+0000")]',
    [0, true],
  ),
  returns(
    'a locale that is none',
    'try { return (1).toLocaleString("x".repeat(1e6)).length > 0 } catch { return true }',
    true,
  ),
  returns('texts compared without a locale', 'return Math.sign("a".localeCompare("b"))', -1),
  returns(
    'the smallest and largest numbers as text',
    'return [(5e-324).toFixed(100).length, (1.7976931348623157e308).toString().length > 0, Number("0x" + "f".repeat(300)) === Infinity]',
    [102, true, true],
  ),
  returns(
    'a text of half pairs',
    'return "\\udc00\\ud800".split("").reverse().join("").codePointAt(0)',
    0x10000,
  ),
  returns('a surrogate that is cut by slice', 'return "😀".slice(0, 1)', '\ud83d'),
  timesOut(
    'a date that is parsed for ever',
    'for (;;) Date.parse("Tue Mar 01 2022 00:00:00 GMT+0100")',
  ),
  timesOut('an index that does not return', 'return "abc"[{ toString() { for (;;); } }]'),
  native(
    'replaceAll with itself',
    'for (let s = "a"; ; s = s.slice(0, 1000)) s = s.replaceAll("a", "aa")',
  ),
  native(
    'a text of every pad',
    'let s = "x"; for (;;) { s = s.padStart(s.length + 1e5, "ab"); if (s.length > 2e7) s = "x" }',
  ),
  native(
    'a date in a loop of locales',
    'for (;;) new Date().toLocaleString("de-DE", { timeZone: "UTC" })',
  ),
]
