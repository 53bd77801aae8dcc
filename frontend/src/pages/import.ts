// Upload page of a collection.
import { embedded } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { UploadController } from "../upload/controller.ts";
import { Screen } from "../upload/screen.ts";
import { type Config, Server } from "../upload/server.ts";
import { wireUpload } from "../upload/wiring.ts";

const scope = new Scope();
const config = embedded<Config>("config");
const screen = new Screen();
const controller = new UploadController({ config, screen, server: new Server(config, scope), scope });
wireUpload(controller, screen, scope);
void controller.resume();
