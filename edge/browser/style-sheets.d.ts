/** esbuild imports style sheets as text, and the scripts adopt them. */
declare module '*.css' {
  const text: string
  export default text
}
