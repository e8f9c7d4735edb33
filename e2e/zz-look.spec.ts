import { test } from "./support/host.ts";
import { panelOf } from "./support/panel.ts";
test("look", async ({ host }) => {
  const { page } = host;
  const who = () => page.evaluate(() => { const a = document.activeElement!; return a.tagName + " " + (a.getAttribute("aria-label") ?? "") + " " + (a.getAttribute("data-index") ?? "") + " " + (a.getAttribute("data-region")??"") + " " + (a as HTMLElement).innerText.slice(0,20).replaceAll("\n"," "); });
  const { key } = await host.call("sessions.create", { title: "Anna" });
  await host.call("sessions.create", { title: "Bert" });
  console.log("start", await who());
  await page.keyboard.press("ControlOrMeta+2");
  for (let i=0;i<8;i++) { console.log(await who()); await page.waitForTimeout(100); }
  console.log(page.url());
  await page.keyboard.press("j");
  for (let i=0;i<8;i++) { console.log("j", await who()); await page.waitForTimeout(100); }
  await page.keyboard.press("j");
  for (let i=0;i<4;i++) { console.log("j", await who()); await page.waitForTimeout(100); }
  await page.keyboard.press("k");
  for (let i=0;i<4;i++) { console.log("k", await who()); await page.waitForTimeout(100); }
});
