/**
 * Styles shared by all pages. The content security policy allows this constant by its hash
 * (`content-security-policy.ts`).
 *
 * Classes:
 * - `.lead`: first paragraph
 * - `.card`: self-contained section
 * - `.rows`: list of items with their actions
 * - `.unseen`: text for screen readers only
 * - `.facts`: list of names and values
 * - `.badge`: one-word state
 * - `.environment`: banner of a deployment that is not for production
 * - `.warn` and `.problem`: messages that must not be missed
 * - `.done`: confirmation of an action
 * - `.actions`: buttons side by side
 * - `.code`: code that the person compares with another code
 * - `.choice`: one of several options
 * - `.kind`: icon and label of a trigger kind
 * - `button`, plain or with `.quiet`, `.danger` or `.armed` (disabled for a second)
 * - `a.button`: link that is the main action of a page
 * - `body.wide`, `.narrow` and `.alone`: width of the content. `.alone` has no sidebar
 *
 * Contrast in both color schemes is at least 4.5:1 for text, and 3:1 for the borders of controls (WCAG 2.2, 1.4.3 and
 * 1.4.11).
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f9, #111317); --paper: light-dark(#fff, #1a1d23);
  --ink: light-dark(#171a1f, #e9ebef); --soft: light-dark(#545b66, #a6aeba);
  --line: light-dark(#dfe3e8, #2f343d); --edge: light-dark(#7c8592, #7d8694);
  --act: light-dark(#2447c9, #a9bdff); --act-over: light-dark(#1a369f, #c6d3ff); --on-act: light-dark(#fff, #0c1a4d);
  --bad: light-dark(#a8201a, #ffb4ab); --bad-ground: light-dark(#fdeceb, #3a1614);
  --good: light-dark(#14602f, #9bdcb0); --good-ground: light-dark(#e5f4ea, #122e1c);
  --warn: light-dark(#8a5300, #ffc56d); --warn-ground: light-dark(#fff5e2, #2f2413);
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; grid-template: auto auto 1fr auto / minmax(0, 1fr); background: var(--ground);
  color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--act); text-underline-offset: .2em; text-decoration-thickness: from-font; }
a:hover { color: var(--act-over); text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; border-radius: .25rem; }

.skip { position: absolute; left: 1rem; top: -6rem; z-index: 1; padding: .625rem 1rem; background: var(--paper); }
.skip:focus { top: .5rem; }
.environment { grid-area: 1 / 1 / auto / -1; margin: 0; padding: .5rem 1.25rem; border-bottom: 2px solid var(--warn); background: var(--warn-ground); text-align: center; font-weight: 600; }
.site { grid-row: 2; background: var(--paper); border-bottom: 1px solid var(--line); }
.site > div { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 3.5rem; padding-inline: 1.25rem; }
.site .name { display: inline-flex; align-items: center; min-height: 2.75rem; color: var(--ink); font-weight: 700; font-size: 1.0625rem; letter-spacing: -.01em; text-decoration: none; }
.site .name::before { content: ""; width: .75rem; height: .75rem; margin-right: .5rem; border-radius: .1875rem; background: var(--act);
  rotate: 45deg; scale: .9; }
.site .menu { display: inline-flex; gap: .5rem; align-items: center; padding: 0 .75rem; border-color: var(--line); background: none; color: var(--ink); font-size: .9375rem; }
.site svg { width: 1.25rem; height: 1.25rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
#menu { inset: auto .5rem .5rem; width: auto; max-height: 85vh; margin: 0; padding: .75rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); color: var(--ink);
  box-shadow: 0 8px 40px rgb(0 0 0 / .25); overflow-y: auto; }
#menu::backdrop { background: rgb(10 12 16 / .4); }
.site nav p { margin: .75rem 0 .125rem; padding-inline: .75rem; color: var(--soft); font-size: .8125rem; font-weight: 600; }
.site ul { margin: 0; padding: 0; list-style: none; }
.site li { margin: 0; }
.site li a { display: flex; gap: .625rem; align-items: center; min-height: 2.75rem; padding: .25rem .75rem; border-radius: .5rem; color: var(--soft); font-size: .9375rem; line-height: 1.35; text-decoration: none; }
.site li a:hover { background: var(--ground); color: var(--ink); }
.site li a[aria-current] { background: var(--ground); box-shadow: inset 0 0 0 1px var(--line); color: var(--ink); font-weight: 600; }
.site li a[aria-current] svg { color: var(--act); }
.site .who { margin-top: .75rem; padding: .75rem; border-top: 1px solid var(--line); }
.site .who p { margin: 0 0 .5rem; overflow: hidden; color: var(--soft); font-size: .875rem; text-overflow: ellipsis; white-space: nowrap; }
.site .who :is(button, .button) { width: 100%; padding-block: .25rem; border-color: var(--line); font-size: .9375rem; font-weight: 500; text-align: center; }
@supports not selector(:popover-open) {
  .site > div { flex-wrap: wrap; } .site .menu { display: none; }
}

main, footer > div { width: 100%; max-width: 70rem; margin: 0 auto; padding-inline: 1.25rem; }
main { grid-row: 3; padding-block: 1.75rem 3rem; }
.narrow main > * { max-width: 44rem; }
.alone :is(main, .site > div) { width: 100%; max-width: 46.5rem; margin: 0 auto; }
@media (min-width: 60rem) {
  body:not(.alone) { grid-template: auto 1fr auto / 14.5rem minmax(0, 1fr); }
  body:not(.alone) .site { grid-area: 2 / 1 / 4; border: 0; border-right: 1px solid var(--line); }
  body:not(.alone) main { grid-area: 2 / 2; }
  body:not(.alone) footer { grid-area: 3 / 2; }
  body:not(.alone) .site > div { position: sticky; top: 0; flex-direction: column; align-items: stretch; justify-content: flex-start; gap: .5rem; max-height: 100vh; min-height: 0; padding: 1rem .75rem; overflow-y: auto; }
  body:not(.alone) .menu { display: none; }
  .site .name { flex: none; padding-inline: .75rem; }
  #menu { display: block; position: static; max-height: none; padding: 0; border: 0; box-shadow: none; overflow: visible; }
  .site li a { min-height: 2.25rem; }
  main, footer > div { padding-inline: 2.5rem; }
  main { padding-block: 2.25rem 4rem; }
}
main:focus { outline: none; }
h1, h2, h3 { line-height: 1.25; letter-spacing: -.012em; text-wrap: balance; }
h1 { margin: 0 0 1rem; font-size: clamp(1.5rem, 1.375rem + .6vw, 1.875rem); font-weight: 700; letter-spacing: -.02em; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.1875rem; }
h3 { margin: 0 0 .25rem; font-size: 1rem; }
p, ul, ol, dl, pre { margin: 0 0 1rem; }
p, li { text-wrap: pretty; }
main > :last-child, .card > :last-child, .warn > :last-child, .problem > :last-child { margin-bottom: 0; }
.lead { font-size: 1.0625rem; color: var(--soft); }
.note { font-size: .9375rem; color: var(--soft); }
ul, ol { padding-left: 1.375rem; }
li { margin-bottom: .375rem; }
code, pre, dd.id { font-family: ui-monospace, monospace; font-size: .9375em; }
pre { padding: .875rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--ground); overflow-x: auto; white-space: pre-wrap; }

.card { margin: 0 0 1.25rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper);
  box-shadow: 0 1px 2px rgb(0 0 0 / .04); }
.card > h2:first-child { margin-top: 0; }
.warn, .problem { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: 4px solid var(--warn); border-radius: .25rem .5rem .5rem .25rem; background: var(--warn-ground); }
.problem { border-color: var(--bad); background: var(--bad-ground); }
.code { margin: .25rem 0 1.25rem; padding: .5rem 1rem; border: 1px dashed var(--edge); border-radius: .5rem; text-align: center;
  font: 600 1.75rem/1.5 ui-monospace, monospace; letter-spacing: .08em; }
.badge { display: inline-block; margin-left: .25rem; padding: .0625rem .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; font-weight: 600;
  line-height: 1.5; color: var(--soft); white-space: nowrap; }
.badge.good { color: var(--good); background: var(--good-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }

.icon { flex: none; vertical-align: -.25rem; }
.kind { display: inline-flex; gap: .375rem; align-items: center; white-space: nowrap; }
.done { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: 4px solid var(--good); border-radius: .25rem .5rem .5rem .25rem; background: var(--good-ground); }

.rows { padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.rows > li { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: flex-start; justify-content: space-between; margin: 0; padding: 1.125rem 1.25rem; }
.rows > li + li { border-top: 1px solid var(--line); }
.rows > li > :first-child { flex: 1 1 16rem; min-width: 0; }
.rows h2, .rows h3 { margin: 0 0 .375rem; font-size: 1rem; }
.rows p { margin: 0 0 .25rem; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .125rem 1rem; margin: 0; font-size: .9375rem; }
dt { color: var(--soft); }
dd { margin: 0; }
#shown dt { color: var(--ink); font-weight: 600; }
#shown dd { margin-bottom: .5rem; font: .875rem/1.5 ui-monospace, monospace; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

form { margin: 0; }
.field { margin: 0 0 1.25rem; }
label, legend { display: block; margin-bottom: .25rem; padding: 0; font-weight: 600; }
fieldset { min-width: 0; margin: 0 0 1.25rem; padding: 0; border: 0; }
.choice { display: flex; gap: .75rem; align-items: flex-start; margin: 0; padding: .625rem 0; font-weight: 400; cursor: pointer; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .1875rem 0 0; accent-color: var(--act); }
.hint { margin: 0 0 .375rem; font-size: .9375rem; color: var(--soft); }
.error { margin: .375rem 0 0; font-size: .9375rem; font-weight: 600; color: var(--bad); }
input:not([type=radio], [type=checkbox]), select, textarea { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: .5rem;
  background: light-dark(#fff, #111317); color: inherit; font: inherit; }
textarea { display: block; min-height: 8rem; font: .875rem/1.55 ui-monospace, monospace; resize: vertical; }
:is(input, select, textarea)[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
input.typed { max-width: 14rem; font: 600 1.25rem/1.5 ui-monospace, monospace; letter-spacing: .08em; text-transform: uppercase; }
input::placeholder { color: var(--soft); opacity: 1; font-weight: 400; }
button, a.button { display: inline-block; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--act); border-radius: .5rem; background: var(--act); color: var(--on-act);
  font: inherit; font-weight: 600; line-height: 1.6; cursor: pointer; }
button:hover, a.button:hover { background: var(--act-over); border-color: var(--act-over); color: var(--on-act); }
a.button { text-decoration: none; }
button.quiet, a.button.quiet { background: transparent; border-color: var(--edge); color: var(--ink); }
button.quiet:hover, a.button.quiet:hover { background: var(--ground); border-color: var(--ink); }
button.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
button.danger:hover { background: var(--bad-ground); }
button[disabled] { opacity: .6; cursor: default; }
button.armed { animation: arm 1s step-end; }
@keyframes arm { from { pointer-events: none; opacity: .5; } }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 0 0 1rem; }

footer { grid-row: 4; border-top: 1px solid var(--line); }
footer > div { display: flex; flex-wrap: wrap; column-gap: 1.5rem; padding-block: .5rem; font-size: .875rem; }
footer a { display: inline-flex; align-items: center; min-height: 2.75rem; color: var(--soft); }
summary { display: list-item; padding: .625rem 0; width: fit-content; color: var(--soft); cursor: pointer; }
summary:hover { color: var(--ink); text-decoration: underline; }
details[open] > summary { margin-bottom: .5rem; }
[hidden] { display: none !important; }

@media (max-width: 30rem) {
  .card { padding: 1.25rem; }
  .card .actions > button { flex: 1 1 auto; }
}
@media (prefers-reduced-motion: no-preference) {
  a, button { transition: background-color .12s, border-color .12s, color .12s; }
}
@media (forced-colors: active) {
  .site .name::before { background: CanvasText; forced-color-adjust: none; }
  .site li a[aria-current] { outline: 1px solid CanvasText; }
  .warn, .problem, .card, .rows, .code { border-color: CanvasText; }
}
`
